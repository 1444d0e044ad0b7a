/* What a kernel measures, for readers of its page. */
#ifndef REPORT_PAGE_ABOUT_H
#define REPORT_PAGE_ABOUT_H

/* Plain text, one or two sentences; "" for a kernel that this version knows nothing of. */
const char *about_kernel(const char *name);

#endif
