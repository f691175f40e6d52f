const [width, height] = [96, 24]

/** A small line through points, and where zero is. */
export const Sparkline = ({
  points,
  label,
}: {
  readonly points: ReadonlyArray<readonly [x: number, y: number]>
  readonly label: string
}) => {
  const xs = points.map(([x]) => x)
  const ys = [0, ...points.map(([, y]) => y)]
  const [left, right, low, high] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)]
  const place = (value: number, from: number, to: number) => (to === from ? 0.5 : (value - from) / (to - from))
  const px = (x: number) => 1 + place(x, left, right) * (width - 2)
  const py = (y: number) => height - 2 - place(y, low, high) * (height - 4)
  const last = points.at(-1)?.[1] ?? 0
  return (
    <svg
      class={`sparkline ${last < 0 ? "down" : "up"}`}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={label}
    >
      <line class="sparkline-zero" x1={0} x2={width} y1={py(0)} y2={py(0)} />
      <polyline points={points.map(([x, y]) => `${px(x).toFixed(1)},${py(y).toFixed(1)}`).join(" ")} />
    </svg>
  )
}
