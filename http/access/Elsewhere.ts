import { Context } from "effect"

/**
 * On a group whose requests use connections of their own, or wait for other services. They have places of their own among an
 * account's requests in progress, so that they do not hold up its quick ones.
 */
export const Elsewhere = Context.Reference<boolean>("presage/http/Elsewhere", { defaultValue: () => false })
