import * as LogModelSuite from "./LogModelSuite.ts"

LogModelSuite.suite("the accesses of this machine")
