import { Schema } from "effect"

/** A hash of 32 bytes. `name` starts the message about a malformed one. */
export const hashText = (name: string) =>
  Schema.String.check(
    Schema.makeFilter((text) => /^0x[0-9a-f]{64}$/i.test(text), { message: `${name} is 0x and 64 hexadecimal digits` }),
  )
