import type { Point } from "./liveState.ts"

const size = { width: 100, height: 24 }

const points = (history: ReadonlyArray<Point>): string => {
  const prices = history.map(({ price }) => price)
  const [low, high] = [Math.min(...prices), Math.max(...prices)]
  const [from, to] = [history[0]?.at ?? 0, history.at(-1)?.at ?? 0]
  const x = (at: number) => (to === from ? size.width : ((at - from) / (to - from)) * size.width)
  const y = (price: number) => 1 + (high === low ? 0.5 : (high - price) / (high - low)) * (size.height - 2)
  return history.map(({ at, price }) => `${x(at).toFixed(1)},${y(price).toFixed(1)}`).join(" ")
}

/** Decoration only: the text beside it has the span and the change. */
export const Sparkline = ({ history }: { readonly history: ReadonlyArray<Point> }) => (
  <svg class="sparkline" viewBox={`0 0 ${size.width} ${size.height}`} preserveAspectRatio="none" aria-hidden="true">
    <polyline points={points(history)} />
  </svg>
)
