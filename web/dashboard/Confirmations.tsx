import { useId } from "preact/hooks"
import type { Confirmations, EventType, EventTypes } from "./webhookTypes.ts"

/** What the service waits for unless asked: the only confirmations that every event type can have. */
export const standardOf = ({ event_types: types }: EventTypes): Confirmations =>
  (types[0]?.confirmations ?? []).find((each) => types.every(({ confirmations }) => confirmations.includes(each))) ?? 0

/** Those that every chosen type can have. */
export const possibleFor = (types: EventTypes, chosen: ReadonlyArray<EventType>): ReadonlyArray<Confirmations> => {
  const all = [...new Set(types.event_types.flatMap(({ confirmations }) => confirmations))]
  return all.filter((each) => chosen.every(({ confirmations }) => confirmations.includes(each)))
}

export const meaningOf = (confirmations: Confirmations): string =>
  confirmations === "finalized"
    ? "once the block is final"
    : confirmations === 0
      ? "as soon as a fact is in a block"
      : `once ${confirmations} blocks follow`

/** How certain a fact must be before it is sent. A webhook keeps what it was created with. */
export const ConfirmationsField = ({
  standard,
  possible,
  value,
  isFixed,
  onChange,
}: {
  readonly standard: Confirmations
  readonly possible: ReadonlyArray<Confirmations>
  readonly value: Confirmations
  readonly isFixed: boolean
  readonly onChange: (value: Confirmations) => void
}) => {
  const id = useId()
  const shown = possible.includes(value) ? possible : [value, ...possible]
  return (
    <div class="field confirmations">
      <label for={id}>Confirmations</label>
      <select
        id={id}
        disabled={isFixed}
        aria-describedby={`${id}-about`}
        value={String(value)}
        onChange={({ currentTarget }) => {
          const chosen = possible.find((each) => String(each) === currentTarget.value)
          if (chosen !== undefined) onChange(chosen)
        }}
      >
        {shown.map((each) => (
          <option key={each} value={String(each)}>
            {each}: {meaningOf(each)}
            {each === standard ? " (default)" : ""}
          </option>
        ))}
      </select>
      <small id={`${id}-about`} class={possible.includes(value) ? "muted" : "caution"}>
        {!possible.includes(value)
          ? "Not all of the chosen types can be sent with these confirmations, and they cannot be changed."
          : isFixed
            ? "They cannot be changed. Create another webhook, and delete this one when the other has taken over."
            : "How certain a fact must be before it is sent. A reorganisation of the chain may remove a fact that was sent early."}
      </small>
    </div>
  )
}
