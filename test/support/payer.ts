import type { Stack } from "#local/stack.ts";

/** The stand-in for Stripe behind a service, which does what payers and banks do. */
export interface Payer {
  /** Sends a control of `stand-ins/stripe/controls.ts`. */
  control(path: string, fields?: object): Promise<void>;
  pay(sessionId: string): Promise<void>;
  /** All objects of a kind, or the `events`. */
  list<T = Record<string, unknown>>(path: string): Promise<T[]>;
  /** The charge with which a session was paid. */
  chargeOf(sessionId: string): Promise<string>;
}

export function payerOf({ stack: { stripeUrl } }: { stack: Partial<Pick<Stack, "stripeUrl">> }): Payer {
  if (stripeUrl === undefined) throw new Error("The service runs without the stand-in for Stripe");
  const control = async (path: string, fields: object = {}) => {
    const response = await fetch(`${stripeUrl}/_standin/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(fields),
    });
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  };
  const list: Payer["list"] = async (path) => (await fetch(`${stripeUrl}/_standin/${path}`)).json();
  return {
    control,
    pay: (sessionId) => control(`sessions/${sessionId}/pay`),
    list,
    async chargeOf(sessionId) {
      const session = (await list("objects/checkout.session")).find(({ id }) => id === sessionId);
      const charges = await list("objects/charge");
      const paid = charges.find((charge) => charge["payment_intent"] === session?.["payment_intent"]);
      return String(paid?.["id"]);
    },
  };
}
