/** What a client asks for with one frame. */
export interface Frame {
  readonly operation: "subscribe" | "unsubscribe"
  readonly assets: ReadonlyArray<string>
  /** Whether the books are to be sent at once. */
  readonly dump: boolean
  /** Undefined leaves it as it was. */
  readonly custom: boolean | undefined
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isText = (value: unknown): value is string => typeof value === "string"

/** The first frame names a channel, later ones an operation. */
const operationOf = ({ type, operation }: Readonly<Record<string, unknown>>): Frame["operation"] | undefined => {
  if (operation === "subscribe" || operation === "unsubscribe") return operation
  return operation === undefined && isText(type) && type.toLowerCase() === "market" ? "subscribe" : undefined
}

/** Undefined for what is malformed or meant for another channel, which is passed over in silence. */
export const frameOf = (text: string): Frame | undefined => {
  const frame = parsed(text)
  if (!isRecord(frame)) return undefined
  const operation = operationOf(frame)
  const { assets_ids: assets = [], initial_dump: dump, custom_feature_enabled: custom } = frame
  if (operation === undefined || !Array.isArray(assets)) return undefined
  return {
    operation,
    assets: [...new Set(assets.filter(isText))],
    dump: dump !== false,
    custom: typeof custom === "boolean" ? custom : undefined,
  }
}
