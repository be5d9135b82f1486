import { fromNode, NativeError, NativeUnavailable } from "@millrace/core/kernel/native/Errno"
import { MappingLengthError } from "@millrace/core/kernel/native/Mapping"
import { FileFailure } from "../mapped/FileSystem.ts"

/** Any error of a file operation in the store's form. What is no such error is a defect and stays as it is. */
export const toFileFailure = (error: unknown, operation: string, path: string): FileFailure => {
  const failure = fromNode(error, path)
  if (failure instanceof FileFailure) {
    return failure
  }
  if (failure instanceof NativeError) {
    return new FileFailure({
      code: failure.code,
      operation,
      path,
      detail: failure.remedy && `${failure.remedy} (${failure.syscall})`,
      requiredBytes: failure.space?.requiredBytes,
      availableBytes: failure.space?.availableBytes
    })
  }
  if (failure instanceof NativeUnavailable) {
    return new FileFailure({ code: "ENOSYS", operation, path, message: failure.message })
  }
  if (failure instanceof MappingLengthError) {
    return new FileFailure({ code: "EINVAL", operation, path, message: failure.message })
  }
  throw failure
}
