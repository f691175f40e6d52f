import { Schema } from "effect"
import { unprintable } from "#src/platform/text/unprintable.ts"

const longestText = 255

/** A name that somebody could have read somewhere. */
export const seen = (what: string) =>
  Schema.String.check(
    Schema.makeFilter((text) => /\S/.test(text) && text.length <= longestText && !unprintable.test(text), {
      message: `${what} has 1 to ${longestText} characters that can be seen`,
    }),
  )
