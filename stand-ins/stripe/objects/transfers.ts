import type Stripe from "stripe";
import { z } from "zod";
import { type Books, record, seconds } from "../books.ts";
import { invalidRequest } from "../api-error.ts";
import type { Form } from "../form.ts";
import { amount, bool, changedMetadata, currency, metadata, readParameters } from "../parameters.ts";
import { listOf, newId } from "../store.ts";
import { checkReceives } from "./accounts.ts";

const CreateTransfer = z.strictObject({
  amount: amount.refine((value) => value > 0, "This value must be greater than or equal to 1."),
  currency,
  destination: z.string(),
  source_transaction: z.string().optional(),
  transfer_group: z.string().optional(),
  description: z.string().optional(),
  metadata: metadata.optional(),
});

/** https://docs.stripe.com/api/transfers/create */
export function createTransfer(books: Books, form: Form): Stripe.Transfer {
  const wish = readParameters(CreateTransfer, form);
  checkReceives(books.store.get("account", wish.destination, "destination"));
  const charge =
    wish.source_transaction === undefined
      ? undefined
      : books.store.get("charge", wish.source_transaction, "source_transaction");
  if (charge) checkSource(books, charge, wish);
  const id = newId("tr_");
  const transfer: Stripe.Transfer & { object: "transfer" } = {
    id,
    object: "transfer",
    amount: wish.amount,
    amount_reversed: 0,
    balance_transaction: newId("txn_"),
    created: seconds(books),
    currency: wish.currency,
    description: wish.description ?? null,
    destination: wish.destination,
    destination_payment: newId("py_"),
    livemode: false,
    metadata: changedMetadata({}, wish.metadata),
    reversals: listOf<Stripe.TransferReversal>([], `/v1/transfers/${id}/reversals`),
    reversed: false,
    source_transaction: charge?.id ?? null,
    source_type: "card",
    transfer_group: wish.transfer_group ?? charge?.transfer_group ?? null,
  };
  return record(books, transfer, "transfer.created");
}

/** A charge can be passed on once: https://docs.stripe.com/connect/separate-charges-and-transfers */
function checkSource(books: Books, charge: Stripe.Charge, wish: { amount: number; currency: string }): void {
  if (charge.status === "failed") throw invalidRequest("The source_transaction has failed.");
  if (charge.currency !== wish.currency) {
    throw invalidRequest(
      `The currency of source_transaction's balance transaction (${charge.currency}) must be the same as the transfer currency (${wish.currency})`,
    );
  }
  const passedOn = books.store
    .listBy("transfer", "source_transaction", charge.id)
    .reduce((sum, transfer) => sum + transfer.amount - transfer.amount_reversed, 0);
  if (passedOn + wish.amount > charge.amount) {
    throw invalidRequest(
      `The transfers attempted are greater than the amount of the source_transaction (${charge.amount}).`,
    );
  }
}

const CreateReversal = z.strictObject({
  amount: amount.optional(),
  description: z.string().optional(),
  metadata: metadata.optional(),
  refund_application_fee: bool.optional(),
});

/** https://docs.stripe.com/api/transfer_reversals/create */
export function reverseTransfer(books: Books, transferId: string, form: Form): Stripe.TransferReversal {
  const wish = readParameters(CreateReversal, form);
  const transfer = books.store.get("transfer", transferId);
  const left = transfer.amount - transfer.amount_reversed;
  const reversed = wish.amount ?? left;
  if (left === 0) throw invalidRequest(`Transfer ${transfer.id} is already fully reversed.`);
  if (reversed < 1 || reversed > left) {
    throw invalidRequest(`Reversal amount is greater than unreversed amount on transfer (${left})`);
  }
  const reversal: Stripe.TransferReversal & { object: "transfer_reversal" } = {
    id: newId("trr_"),
    object: "transfer_reversal",
    amount: reversed,
    balance_transaction: newId("txn_"),
    created: seconds(books),
    currency: transfer.currency,
    destination_payment_refund: null,
    metadata: changedMetadata({}, wish.metadata),
    source_refund: null,
    transfer: transfer.id,
  };
  record(books, reversal);
  transfer.amount_reversed += reversed;
  transfer.reversed = transfer.amount_reversed === transfer.amount;
  transfer.reversals.data.unshift(reversal);
  record(books, transfer, "transfer.reversed");
  return reversal;
}
