import type { UseQueryResult } from "@tanstack/preact-query";
import type { ComponentChild, ComponentChildren } from "preact";
import { Link } from "wouter-preact";
import { Loaded } from "./loaded.tsx";

interface CollectionProps<Item> {
  title: string;
  /** What these are, and where more is said of them. */
  about: ComponentChildren;
  /** The page on which one is made. */
  make: { href: string; name: string };
  of: UseQueryResult<Item[]>;
  /** Said where there is none. */
  none: string;
  /** A line of the list. */
  children: (item: Item) => ComponentChild;
}

/** The page of all things of a kind that a person has, from which one is made. */
export function Collection<Item>({ title, about, make, of, none, children }: CollectionProps<Item>) {
  return (
    <>
      <h1>{title}</h1>
      <p class="muted">{about}</p>
      <p>
        <Link class="button primary" href={make.href}>
          {make.name}
        </Link>
      </p>
      <Loaded of={of}>
        {(found) => (found.length === 0 ? <p>{none}</p> : <ul class="list">{found.map(children)}</ul>)}
      </Loaded>
    </>
  );
}
