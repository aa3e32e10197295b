#ifndef PREPROCESSOR_H
#define PREPROCESSOR_H
#include "preprocessor.h"
#define FROM_HEADER 12
#endif
