import { Schema } from "effect"

/** There are no boards yet: the ledger is still being filled. */
export class NotBuilt extends Schema.TaggedError<NotBuilt>()("NotBuilt", {}) {}

/** The ledger has run ahead, and no longer knows what it was at the boards' block. */
export class FallenBehind extends Schema.TaggedError<FallenBehind>()("FallenBehind", {}) {}

/** Nobody has heard of this category, tag, market or event. */
export class UnknownScope extends Schema.TaggedError<UnknownScope>()("UnknownScope", {}) {}
