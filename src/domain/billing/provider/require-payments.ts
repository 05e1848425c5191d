import { AppError } from "#src/lib/errors.ts";
import type { Payments } from "#src/platform/payments/payments.ts";

/** The provider of payments. Throws `unavailable` when payments are not configured. */
export function requirePayments({ payments }: { payments: Payments | undefined }): Payments {
  if (payments) return payments;
  throw new AppError("unavailable", "Payments are not configured on this installation");
}
