/** What is in a text but cannot be seen, or cannot be stored; not what joins parts of one emoji. */
export const unprintable = /(?!\u200d)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u
