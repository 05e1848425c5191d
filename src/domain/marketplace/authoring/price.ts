import { AppError } from "#src/lib/errors.ts";

/** Cents of a price in dollars that fits how the item is paid for. Throws `invalid_input`. */
export function centsOf(pricingType: "free" | "one_time" | "monthly", dollars: number | undefined): number {
  const cents = Math.round((dollars ?? 0) * 100);
  if (Math.abs(cents - (dollars ?? 0) * 100) > 1e-6) {
    throw new AppError("invalid_input", "price: must be dollars with at most two decimals");
  }
  if (pricingType === "free" && cents > 0) {
    throw new AppError("invalid_input", "price: an item with pricing_type 'free' has none");
  }
  if (pricingType !== "free" && cents < 100) {
    throw new AppError("invalid_input", "price: must be between 1 and 999 dollars");
  }
  return cents;
}
