import { Schema, SchemaTransformation } from "effect"

/** A wallet's address as clients send it, in any case. */
export const WalletText = Schema.String.check(
  Schema.makeFilter((text) => /^0x[0-9a-f]{40}$/i.test(text), {
    message: "an address is 0x and 40 hexadecimal digits",
    description: "an address is 0x and 40 hexadecimal digits",
  }),
)

/** A wallet's address in lower case. */
export const Wallet = WalletText.pipe(
  Schema.decodeTo(Schema.String, SchemaTransformation.toLowerCase()),
  Schema.brand("Wallet"),
)
export type Wallet = typeof Wallet.Type

/** The 20 bytes of an address, as the dictionary stores them. */
export const bytesOfWallet = (wallet: string): Buffer => Buffer.from(wallet.slice(2), "hex")
