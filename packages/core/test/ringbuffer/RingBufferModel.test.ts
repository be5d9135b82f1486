import * as RingBufferModelSuite from "./RingBufferModelSuite.ts"

RingBufferModelSuite.suite("the accesses of this machine")
