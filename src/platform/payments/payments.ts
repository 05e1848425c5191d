/** Texts that an object of the provider carries for us. */
export type Metadata = Readonly<Record<string, string>>;

/** What is sold. Amounts are cents. */
export type SoldItem =
  | { priceId: string }
  | {
      name: string;
      amountCents: number;
      currency: string;
      /** Repeated; without it paid once. */
      interval?: "month" | "year" | undefined;
      /** Kept with the product. */
      metadata?: Metadata;
    };

/** A checkout to be created. Its metadata is put on the session and on the payment or subscription it becomes. */
export interface NewCheckout {
  mode: "payment" | "subscription";
  customerId: string;
  item: SoldItem;
  /** Our own row. */
  reference: string;
  metadata: Metadata;
  successUrl: string;
  cancelUrl: string;
  expiresAt?: Date;
}

export interface CheckoutSession {
  id: string;
  /** The page of an open session. */
  url: string | undefined;
  mode: string;
  status: string | undefined;
  paymentStatus: string;
  customerId: string | undefined;
  amountCents: number | undefined;
  currency: string | undefined;
  reference: string | undefined;
  metadata: Metadata;
  /** Prices of its items. */
  priceIds: readonly string[];
  paymentIntentId: string | undefined;
  subscriptionId: string | undefined;
  invoiceId: string | undefined;
}

export interface Subscription {
  id: string;
  status: string;
  customerId: string;
  currency: string;
  metadata: Metadata;
  item: { id: string; priceId: string; amountCents: number | undefined; interval: string | undefined };
  periodStart: Date;
  periodEnd: Date;
  /** When it ends, if that is decided. */
  cancelAt: Date | undefined;
  endedAt: Date | undefined;
  latestInvoiceId: string | undefined;
  /** Whether money was paid for its latest invoice; false also where that is not known. */
  isLatestInvoicePaid: boolean;
}

/** A change of a subscription. A price takes effect at once, and the difference is paid at once. */
export interface SubscriptionChange {
  price?: { itemId: string; priceId: string };
  cancelAtPeriodEnd?: boolean;
}

export interface Invoice {
  id: string;
  status: string | undefined;
  customerId: string | undefined;
  subscriptionId: string | undefined;
  /** Of its subscription. */
  metadata: Metadata;
  billingReason: string | undefined;
  amountPaidCents: number;
  currency: string;
  paymentIntentId: string | undefined;
  paidAt: Date | undefined;
}

export interface PaymentIntent {
  id: string;
  status: string;
  amountCents: number;
  amountReceivedCents: number;
  currency: string;
  customerId: string | undefined;
  metadata: Metadata;
  chargeId: string | undefined;
}

export interface Charge {
  id: string;
  status: string;
  amountCents: number;
  refundedCents: number;
  currency: string;
  isDisputed: boolean;
  paymentIntentId: string | undefined;
}

export interface Dispute {
  id: string;
  status: string;
  amountCents: number;
  chargeId: string;
  paymentIntentId: string | undefined;
}

/** A seller's account. */
export interface Account {
  id: string;
  /** Whether transfers to it are accepted. */
  canReceive: boolean;
  detailsSubmitted: boolean;
}

export interface NewTransfer {
  amountCents: number;
  currency: string;
  accountId: string;
  /** The payment of which this is a share. */
  chargeId: string;
  metadata: Metadata;
}

export interface Transfer {
  id: string;
  amountCents: number;
  reversedCents: number;
}

/** A verified event. It only says that an object changed: what is true is read from the provider. */
export interface PaymentEvent {
  id: string;
  type: string;
  created: Date;
  /** Whether the event is of our key's mode, test or live. Another event is signed as well, and means nothing here. */
  isOwnMode: boolean;
  objectType: string | undefined;
  objectId: string | undefined;
}

/**
 * The provider of payments. Calls that create or change something take a key: the same key does it once, for a day, and
 * must come with the same parameters. Objects that the provider does not know are `undefined`. Throws `unavailable` when
 * the provider cannot be reached in time, limits us or refuses our key, and `provider_failed` for failures of its own
 * and answers that are none; each within little more than the timeout, and with a sentence for the caller.
 */
export interface Payments {
  createCustomer(
    customer: { email?: string; name?: string; metadata: Metadata },
    key: string,
  ): Promise<string>;
  createCheckoutSession(checkout: NewCheckout, key: string): Promise<CheckoutSession>;
  getCheckoutSession(id: string): Promise<CheckoutSession | undefined>;
  getSubscription(id: string): Promise<Subscription | undefined>;
  /**
   * `declined` when the difference could not be collected: nothing changed then. The outcome belongs to the key, so the
   * next attempt needs another one.
   */
  changeSubscription(id: string, change: SubscriptionChange, key: string): Promise<Subscription | "declined">;
  /** Ends it now. `undefined` when it is over or unknown. */
  cancelSubscription(id: string): Promise<Subscription | undefined>;
  getInvoice(id: string): Promise<Invoice | undefined>;
  /** The newest invoice of a subscription for which money was paid; an invoice of nothing is none. */
  getPaidInvoiceOf(subscriptionId: string): Promise<Invoice | undefined>;
  getPaymentIntent(id: string): Promise<PaymentIntent | undefined>;
  getCharge(id: string): Promise<Charge | undefined>;
  getDispute(id: string): Promise<Dispute | undefined>;
  /** The newest dispute of a charge, which does not name it itself. */
  getDisputeOf(chargeId: string): Promise<Dispute | undefined>;
  getAccount(id: string): Promise<Account | undefined>;
  createAccount(account: { email?: string; metadata: Metadata }, key: string): Promise<Account>;
  /** Returns the address of a page on which the account's owner introduces themself; it is valid for minutes. */
  createAccountLink(
    link: { accountId: string; refreshUrl: string; returnUrl: string },
    key: string,
  ): Promise<string>;
  /** Returns the address of the page on which a customer changes what they subscribed to. */
  createPortalSession(session: { customerId: string; returnUrl: string }, key: string): Promise<string>;
  /**
   * `not_receiving` when the account may not receive. The outcome belongs to the key for a day, also after the account may
   * receive: ask `getAccount` first.
   */
  createTransfer(transfer: NewTransfer, key: string): Promise<Transfer | "not_receiving">;
  /** Takes a transfer back: all that is left of it, or a part. */
  reverseTransfer(
    reversal: { transferId: string; amountCents?: number; metadata?: Metadata },
    key: string,
  ): Promise<string>;
  /**
   * Verifies a delivery over its raw bytes. Throws `unauthenticated` for a wrong or missing signature, or a time
   * more than five minutes away in either direction.
   */
  verifyWebhook(delivery: { body: Uint8Array; signature: string | null }): Promise<PaymentEvent>;
}
