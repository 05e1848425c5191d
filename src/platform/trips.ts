/**
 * Round trips of one request so far: logged with it, shown in `Server-Timing` in development, and compared with the
 * budgets.
 */
export interface Trips {
  db: number;
  publish: number;
  objects: number;
}

export function newTrips(): Trips {
  return { db: 0, publish: 0, objects: 0 };
}
