const [width, height] = [100, 24]

export type SparkPoint = readonly [x: number, y: number]

/** A small line through points, as wide as its place. With `zero` it is a result: coloured by its sign, beside a line at zero. */
export const Sparkline = ({
  points,
  zero = false,
  label,
}: {
  readonly points: ReadonlyArray<SparkPoint>
  readonly zero?: boolean
  /** Without one it is decoration: the text beside it says the same. */
  readonly label?: string
}) => {
  const xs = points.map(([x]) => x)
  const ys = [...(zero ? [0] : []), ...points.map(([, y]) => y)]
  const [left, right, low, high] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)]
  const place = (value: number, from: number, to: number) => (to === from ? 0.5 : (value - from) / (to - from))
  const px = (x: number) => place(x, left, right) * width
  const py = (y: number) => height - 1 - place(y, low, high) * (height - 2)
  const tone = !zero ? "" : (points.at(-1)?.[1] ?? 0) < 0 ? "down" : "up"
  return (
    <svg
      class={`sparkline ${tone}`}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
      aria-hidden={label === undefined}
    >
      {zero && <line x1={0} x2={width} y1={py(0)} y2={py(0)} />}
      <polyline points={points.map(([x, y]) => `${px(x).toFixed(1)},${py(y).toFixed(1)}`).join(" ")} />
    </svg>
  )
}
