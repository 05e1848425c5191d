import type { UseQueryResult } from "@tanstack/preact-query";
import type { ComponentChild, ComponentChildren } from "preact";
import { Link } from "wouter-preact";
import { Empty } from "./empty.tsx";
import { Heading } from "./heading.tsx";
import type { LucideIcon } from "./icon.tsx";
import { Loaded } from "./loaded.tsx";

interface CollectionProps<Item> {
  title: string;
  /** What these are, and where more is said of them. */
  about: ComponentChildren;
  /** The page on which one is made. */
  make: { href: string; name: string };
  of: UseQueryResult<Item[]>;
  icon: LucideIcon;
  /** Said where there is none. */
  none: { title: string; about: string };
  /** A line of the list. */
  children: (item: Item) => ComponentChild;
}

/** The page of all things of a kind that a person has, from which one is made. */
export function Collection<Item>({ title, about, make, of, icon, none, children }: CollectionProps<Item>) {
  const isEmpty = of.data?.length === 0;
  const making = (
    <Link class="button primary" href={make.href}>
      {make.name}
    </Link>
  );
  return (
    <>
      <Heading actions={isEmpty ? undefined : making}>{title}</Heading>
      <p class="muted">{about}</p>
      <Loaded of={of}>
        {(found) =>
          found.length === 0 ? (
            <Empty icon={icon} title={none.title} action={making}>
              {none.about}
            </Empty>
          ) : (
            <ul class="list">{found.map(children)}</ul>
          )
        }
      </Loaded>
    </>
  );
}
