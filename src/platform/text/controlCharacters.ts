/** What is in a text but cannot be seen, or cannot be stored; not what joins parts of one emoji. */
export const unprintable = /(?!\u200d)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u

/** Text from outside for a terminal: whoever wrote it must not move the cursor of who reads it. */
export const replaceControlCharacters = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, "\ufffd")
