import { useRead } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";

/** Entries of one page of a list. */
export const ROWS = 20;

export const usePlan = () =>
  useRead(["billing", "plan"], (signal) => workspace.request("GET", "/api/billing/subscription", { signal }));

export const usePrices = () =>
  useRead(["billing", "prices"], (signal) => workspace.request("GET", "/api/billing/config", { signal }));

export const usePurchases = (page: number) =>
  useRead(["billing", "purchases", page], (signal) =>
    workspace.request("GET", "/api/billing/credits/history", {
      query: { limit: ROWS, offset: (page - 1) * ROWS },
      signal,
    }),
  );

export const useTransactions = (page: number) =>
  useRead(["billing", "transactions", page], (signal) =>
    workspace.request("GET", "/api/billing/transactions", {
      query: { limit: ROWS, offset: (page - 1) * ROWS },
      signal,
    }),
  );

export const useEarnings = () =>
  useRead(["billing", "earnings"], (signal) => workspace.request("GET", "/api/billing/earnings", { signal }));
