/** The value below which this part of the values lies. */
export function quantile(values, part) {
    const sorted = [...values].sort((one, other) => one - other)
    return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))]
}

export const median = values => quantile(values, 0.5)
