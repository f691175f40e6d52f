/** As much as a socket reads at a time, and more than a pool of Node has: what is larger is no part of either. */
const maxSharedBytes = 65_536

/** Whether bytes have their memory for themselves. */
export const ownsMemory = (bytes: Buffer): bytes is Buffer<ArrayBuffer> =>
  bytes.buffer instanceof ArrayBuffer && (bytes.length > maxSharedBytes || bytes.length === bytes.buffer.byteLength)

/**
 * Gives back the memory of bytes that nobody looks at any more, where they have it for themselves. V8 would do so when it
 * looks through all of its memory, and it looks the more often, the more such bytes there are.
 */
export const freeBuffer = (bytes: Buffer): void => {
  if (ownsMemory(bytes) && !bytes.buffer.detached) bytes.buffer.transfer(0)
}

/** The same for a part of what a socket read, once nobody looks at any other part of it: that never lies in Node's pool. */
export const freeReadBuffer = ({ buffer }: Buffer): void => {
  if (buffer instanceof ArrayBuffer && buffer.byteLength > Buffer.poolSize && !buffer.detached) buffer.transfer(0)
}
