/* devices.c: devices and the environments they run in. */
#include "statement.h"

#include <stdlib.h>

void db_device_finish(struct db_device *device)
{
	free(device->name);
	free(device->fingerprint);
	free(device->properties);
	*device = (struct db_device){0};
}

static int read_device(sqlite3_stmt *row, struct db_device *out, struct mmt_error *error)
{
	bool failed = false;
	*out = (struct db_device){
		.id = sqlite3_column_int64(row, 0),
		.name = db_column_copy(row, 1, &failed),
		.fingerprint = db_column_copy(row, 2, &failed),
		.properties = db_column_copy(row, 3, &failed),
		.first_seen_at = sqlite3_column_int64(row, 4),
		.last_seen_at = sqlite3_column_int64(row, 5),
	};
	if (!failed)
		return 0;
	db_device_finish(out);
	return mmt_error_set(error, MMT_NO_MEMORY, 0, "out of memory while reading devices");
}

int db_devices(struct db *db, struct db_device **out, size_t *count, struct mmt_error *error)
{
	struct db_device *devices = NULL;
	size_t n = 0;
	int status = -1;
	sqlite3_stmt *row = db_prepare(db,
				       "SELECT id, name, fingerprint, properties, first_seen_at, last_seen_at "
				       "FROM devices ORDER BY id",
				       error, "");
	if (!row)
		return -1;
	while ((status = db_step(db, row, "reading devices", error)) == 1) {
		struct db_device *grown = realloc(devices, (n + 1) * sizeof(*devices));
		if (!grown) {
			status = mmt_error_set(error, MMT_NO_MEMORY, 0, "out of memory while reading devices");
			break;
		}
		devices = grown;
		status = read_device(row, &devices[n], error);
		if (status < 0)
			break;
		n++;
	}
	sqlite3_finalize(row);
	if (status < 0) {
		while (n > 0)
			db_device_finish(&devices[--n]);
		free(devices);
		devices = NULL;
	}
	*out = devices;
	*count = n;
	return status;
}

int db_device_put(struct db *db, struct db_device *device, struct mmt_error *error)
{
	static const char insert[] = "INSERT INTO devices (name, fingerprint, properties, first_seen_at, last_seen_at) "
				     "VALUES (?1, ?2, ?3, ?4, ?5) RETURNING id";
	static const char update[] = "UPDATE devices SET name = ?1, fingerprint = ?2, properties = ?3, "
				     "last_seen_at = ?4 WHERE id = ?5 RETURNING id";
	if (device->id == 0)
		return db_run(db, &device->id, "storing a device", error, insert, "tttii", device->name,
			      device->fingerprint, device->properties, device->first_seen_at, device->last_seen_at) < 0
			       ? -1
			       : 0;
	int rows = db_run(db, NULL, "storing a device", error, update, "tttii", device->name, device->fingerprint,
			  device->properties, device->last_seen_at, device->id);
	if (rows == 0)
		return mmt_error_set(error, MMT_NO_SUCH_DEVICE, 0, "no device has the id %lld", (long long)device->id);
	return rows < 0 ? -1 : 0;
}
