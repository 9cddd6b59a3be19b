/* strategy.c: see strategy.h. */
#include "strategy.h"

#include <stdio.h>

#include "search.h"

int svc_strategy_check(const char *name, struct mmt_error *error)
{
	if (search_strategy_summary(name))
		return 0;
	char list[200] = "";
	size_t used = 0;
	for (const char *const *known = search_strategy_names(); *known && used + 32 < sizeof list; known++)
		used += (size_t)snprintf(list + used, sizeof list - used, "%s%.28s", used ? ", " : "", *known);
	return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "no strategy is called '%.200s'; there is %s", name, list);
}
