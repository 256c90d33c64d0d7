/* tests/e2e/stacks/sites.h - the call that the sites make: it fails, and is recorded. */
#ifdef __cplusplus
extern "C" {
#endif
int clGetPlatformIDs(unsigned line, void **none, unsigned *nothing);
void in_archive(void);
#ifdef __cplusplus
}
#endif
#define CALL clGetPlatformIDs(__LINE__, 0, 0)
