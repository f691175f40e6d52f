/** The size of one socket read, and larger than Node's buffer pool: a larger buffer is a slice of neither. */
const maxSharedBytes = 65_536

/** Whether a buffer is the only user of its memory. */
export const ownsMemory = (bytes: Buffer): bytes is Buffer<ArrayBuffer> =>
  bytes.buffer instanceof ArrayBuffer && (bytes.length > maxSharedBytes || bytes.length === bytes.buffer.byteLength)

/**
 * Frees the memory of an unused buffer, if it owns that memory. Otherwise V8 frees it only in a full garbage collection, and
 * more such buffers mean more frequent collections.
 */
export const freeBuffer = (bytes: Buffer): void => {
  if (ownsMemory(bytes) && !bytes.buffer.detached) bytes.buffer.transfer(0)
}

/** The same for a slice of a socket read whose other slices are unused: socket reads never lie in Node's pool. */
export const freeReadBuffer = ({ buffer }: Buffer): void => {
  if (buffer instanceof ArrayBuffer && buffer.byteLength > Buffer.poolSize && !buffer.detached) buffer.transfer(0)
}
