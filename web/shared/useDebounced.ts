import { useEffect, useState } from "preact/hooks"

/** The value, once it has not changed for a while. */
export const useDebounced = <A>(value: A, millis = 200): A => {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), millis)
    return () => clearTimeout(timer)
  }, [value, millis])
  return settled
}
