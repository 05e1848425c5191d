import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { textOf } from "../../parts/form-text.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { Pager } from "../../parts/pager.tsx";
import { priceOf } from "./price.ts";
import { useItems, type Kind } from "./reads.ts";

/** The agents or the templates of the marketplace, with a search. */
export function ItemList({ kind }: { kind: Kind }) {
  const [search, setSearch] = useState("");
  const [page, setPage] = useState(1);
  const at = kind === "agent" ? "/marketplace/agents" : "/marketplace/templates";
  return (
    <>
      <p class="muted">
        {kind === "agent"
          ? "Ready-made agents that your team can use in its projects."
          : "Ready-made projects to start from."}
      </p>
      <form
        class="row"
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          setSearch(textOf(new FormData(event.currentTarget), "search"));
          setPage(1);
        }}
      >
        <label for="search">Search</label>
        <input id="search" name="search" type="search" maxLength={200} />
        <button type="submit">Search</button>
      </form>
      <Loaded of={useItems(kind, search, page)}>
        {({ items, hasMore }) => (
          <>
            {items.length === 0 && <p class="muted">Nothing found.</p>}
            <ul class="cards">
              {items.map((item) => (
                <li key={item.id}>
                  <h2>
                    <Link href={`${at}/${item.slug}`}>{item.name}</Link>
                  </h2>
                  <p class="small">{item.description}</p>
                  <p class="muted small">
                    {item.category} · {priceOf(item)}
                    {item.reviews_count > 0 && ` · ${item.rating.toFixed(1)} of 5`}
                    {item.is_purchased && " · in your library"}
                  </p>
                </li>
              ))}
            </ul>
            <Pager page={page} hasMore={hasMore} go={setPage} />
          </>
        )}
      </Loaded>
    </>
  );
}
