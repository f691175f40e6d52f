/** Text from outside for a terminal: whoever wrote it must not move the cursor of who reads it. */
export const harmless = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, "\ufffd")
