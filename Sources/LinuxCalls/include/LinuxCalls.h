// Calls that Swift's Glibc module does not offer. One function each, no logic.
#ifndef LINUX_CALLS_H
#define LINUX_CALLS_H

#include "LinuxFileCalls.h"
#include "WatchCalls.h"

#endif
