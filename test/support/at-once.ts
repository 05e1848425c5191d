/** What becomes of work that is begun at once: results of what succeeded, and reasons of what was refused, each in order. */
export async function allAtOnce<T>(work: readonly Promise<T>[]) {
  const outcomes = await Promise.allSettled(work);
  return {
    done: outcomes.flatMap((each) => (each.status === "fulfilled" ? [each.value] : [])),
    refused: outcomes.flatMap((each) => (each.status === "rejected" ? [each.reason] : [])),
  };
}

/** The same work, so many times at once. */
export function timesAtOnce<T>(times: number, work: (nth: number) => Promise<T>) {
  return allAtOnce(Array.from({ length: times }, (_, nth) => work(nth)));
}
