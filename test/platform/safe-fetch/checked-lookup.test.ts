import type { LookupAddress } from "node:dns";
import { expect, it } from "vitest";
import { checkedLookup, PrivateAddress } from "#hosts/egress/checked-lookup.ts";
import { isPublicAddress } from "#src/lib/outbound-url.ts";

const v4 = (address: string): LookupAddress => ({ address, family: 4 });

function lookupOver(...answers: LookupAddress[][]) {
  const lookup = checkedLookup(async () => answers.shift() ?? [], isPublicAddress);
  return () =>
    new Promise((resolve, reject) => {
      lookup("name.example.com", { all: true }, (error, addresses) =>
        error ? reject(error) : resolve(addresses),
      );
    });
}

it("gives a connection the addresses it checked, and refuses them once the name leads elsewhere", async () => {
  const lookup = lookupOver([v4("93.184.215.14")], [v4("127.0.0.1")]);
  await expect(lookup()).resolves.toEqual([v4("93.184.215.14")]);
  await expect(lookup()).rejects.toBeInstanceOf(PrivateAddress);
});

it("refuses all when one is private", async () => {
  await expect(lookupOver([v4("93.184.215.14"), v4("10.0.0.1")])()).rejects.toBeInstanceOf(PrivateAddress);
});

it("refuses a name without an address", async () => {
  await expect(lookupOver([])()).rejects.toThrow("no address");
});
