/** Cents as a person reads them. */
export const money = (cents: number): string =>
  (cents / 100).toLocaleString("en", { style: "currency", currency: "USD" });
