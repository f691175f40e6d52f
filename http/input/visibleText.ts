import { Schema } from "effect"
import { unprintable } from "#src/platform/text/controlCharacters.ts"

const maxLength = 255

/** A name of 1 to 255 visible characters. */
export const visibleText = (what: string) =>
  Schema.String.check(
    Schema.makeFilter((text) => /\S/.test(text) && text.length <= maxLength && !unprintable.test(text), {
      message: `${what} has 1 to ${maxLength} visible characters`,
    }),
  )
