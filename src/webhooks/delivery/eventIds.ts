const pattern = /^(evt|test)_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

/** An id of an event as it is written outside; also that of a test delivery. */
export const isEventId = (text: string): boolean => pattern.test(text)

/** What is within the id of an event; undefined for that of a test delivery, which is none. */
export const uuidOf = (text: string): string | undefined => {
  const [, kind, uuid] = pattern.exec(text) ?? []
  return kind === "evt" ? uuid : undefined
}
