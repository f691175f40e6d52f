import { createKeccak } from "hash-wasm"

/** WebAssembly, a tenth of the time of viem's: ids and order hashes are most of what the chain computes. */
const hasher = await createKeccak(256)

/** The hash of bytes: 64 hexadecimal digits, without prefix. */
export const keccak256 = (bytes: Uint8Array): string => hasher.init().update(bytes).digest("hex")

/** The hash of bytes as bytes. */
export const keccakBytes = (bytes: Uint8Array): Uint8Array => hasher.init().update(bytes).digest("binary")

/** The hash of what hexadecimal digits, without prefix, stand for. */
export const keccakOfHex = (digits: string): string => keccak256(Buffer.from(digits, "hex"))
