import { z } from "zod";
import { AppError } from "#src/lib/errors.ts";
import type { PaymentEvent } from "./payments.ts";

const TOLERANCE_SECONDS = 300;

const Event = z.object({
  id: z.string().min(1).max(255),
  type: z.string().min(1).max(255),
  created: z.number(),
  livemode: z.boolean(),
  data: z.object({ object: z.object({ id: z.string().optional(), object: z.string().optional() }) }),
});

/** Verifies a delivery; see `Payments.verifyWebhook`. */
export async function verifyWebhook(
  { body, signature }: { body: Uint8Array; signature: string | null },
  { secrets, isLive, now }: { secrets: readonly string[]; isLive: boolean; now: number },
): Promise<PaymentEvent> {
  const { Stripe } = await import("stripe");
  const time = timeOf(signature ?? "");
  // The SDK accepts times in the future.
  const isTimely = Math.abs(Math.floor(now / 1000) - time) <= TOLERANCE_SECONDS;
  const payload = exactText(body);
  if (signature === null || !isTimely || payload === undefined) throw refused();
  const verifying = secrets.map(async (secret) =>
    Stripe.webhooks.constructEventAsync(
      payload,
      signature,
      secret,
      TOLERANCE_SECONDS,
      Stripe.createSubtleCryptoProvider(),
      now,
    ),
  );
  const accepted = (await Promise.allSettled(verifying)).find(({ status }) => status === "fulfilled");
  const parsed = accepted?.status === "fulfilled" ? Event.safeParse(accepted.value) : undefined;
  if (!parsed?.success) throw refused();
  const { id, type, created, livemode, data } = parsed.data;
  return {
    id,
    type,
    created: new Date(created * 1000),
    isOwnMode: livemode === isLive,
    objectType: data.object.object,
    objectId: data.object.id,
  };
}

/** The only time in a header, in seconds; several would leave open which one was signed. */
function timeOf(header: string): number {
  const [time, ...others] = header.split(",").filter((part) => part.startsWith("t="));
  return others.length === 0 && time !== undefined && /^t=\d{1,12}$/u.test(time)
    ? Number(time.slice(2))
    : Number.NaN;
}

/**
 * The text of which these are exactly the bytes. The SDK decodes bytes leniently, so that a mark of byte order would not
 * count as a change.
 */
function exactText(body: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return undefined;
  }
}

function refused(): AppError {
  return new AppError("unauthenticated", "The signature of this event is not valid");
}
