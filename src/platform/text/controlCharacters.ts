/** Invisible or unstorable characters, except the joiner inside an emoji. */
export const unprintable = /(?!\u200d)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u

/** Makes external text safe to print on a terminal: escape sequences in it could move the cursor. */
export const replaceControlCharacters = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, "\ufffd")
