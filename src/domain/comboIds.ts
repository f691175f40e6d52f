/** Ids of the newer contracts have zeros here; older ones are hashes. */
export const [reservedFrom, reservedTo] = [38, 54]
export const reserved = "0".repeat(reservedTo - reservedFrom)

export const comboModule = 3

/** Whether a token or condition of 64 digits is one of the newer contracts; older ones are hashes, without these zeros. */
export const isComposed = (hex: string): boolean => hex.slice(reservedFrom, reservedTo) === reserved

/** Whether a token or condition of 64 digits belongs to a combo. */
export const isCombo = (hex: string): boolean => hex.startsWith(`0${comboModule}`) && isComposed(hex)
