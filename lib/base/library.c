/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries that are opened while the program runs. */
#include <dlfcn.h>

#include "base/base.h"

enum mem_status
mem_library_open(void **out, const char *const *names, const struct mem_symbol *symbols, size_t n, struct mem_err *err)
{
	void *lib = NULL;
	const char *name = NULL;
	*out = NULL;
	for (; lib == NULL && *names != NULL; names++)
		lib = dlopen(name = *names, RTLD_NOW | RTLD_LOCAL);
	if (lib == NULL)
		return mem_err_set(err, MEM_ABSENT, "%s", dlerror());
	for (size_t i = 0; i < n; i++) {
		*symbols[i].to = dlsym(lib, symbols[i].name);
		if (*symbols[i].to == NULL && !symbols[i].optional) {
			dlclose(lib);
			return mem_err_set(err, MEM_FAIL, "%s has no %s", name, symbols[i].name);
		}
	}
	*out = lib;
	return MEM_OK;
}

void
mem_library_close(void *lib)
{
	if (lib != NULL)
		dlclose(lib);
}
