/** The condition of a token of Protocol V2, both 64 digits: the last byte of the token is the index of its outcome. */
export const conditionOfPosition = (token: string): string => `${token.slice(0, 62)}00`
