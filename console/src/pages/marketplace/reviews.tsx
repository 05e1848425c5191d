import { useState } from "preact/hooks";
import { textOf } from "../../parts/form-text.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Pager } from "../../parts/pager.tsx";
import { Refused } from "../../parts/refused.tsx";
import { useAction } from "../../parts/use-action.ts";
import { stale } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";
import { MARKETPLACE, useReviews, type Item, type Kind, type OwnReview } from "./reads.ts";

/** What people say of an item. A person whose team has it reviews it, or changes an earlier review. */
export function Reviews({ kind, item }: { kind: Kind; item: Item }) {
  const [page, setPage] = useState(1);
  const { data: first } = useReviews(kind, item.slug, 1);
  return (
    <section aria-label="Reviews">
      <h2>Reviews</h2>
      <Loaded of={useReviews(kind, item.slug, page)}>
        {({ reviews, has_more }) => (
          <>
            {reviews.length === 0 && <p class="muted">No reviews yet.</p>}
            <ul class="list">
              {reviews.map(({ id, rating, comment, user_name, created_at, is_own_review }) => (
                <li key={id}>
                  <strong>{rating} of 5</strong>
                  <span>{comment}</span>
                  <span class="muted small">
                    {is_own_review ? "you" : user_name} · <Moment at={created_at} />
                  </span>
                </li>
              ))}
            </ul>
            <Pager page={page} hasMore={has_more} go={setPage} />
          </>
        )}
      </Loaded>
      {item.is_purchased && first && (
        <ReviewForm key={item.id} kind={kind} item={item} own={first.own_review} />
      )}
    </section>
  );
}

function ReviewForm({ kind, item, own }: { kind: Kind; item: Item; own: OwnReview | null }) {
  const saving = useAction(async (form: HTMLFormElement) => {
    const typed = new FormData(form);
    const comment = textOf(typed, "comment");
    const query = { rating: Number(textOf(typed, "rating")), ...(comment !== "" && { comment }) };
    if (kind === "agent") {
      const path = { agent: item.id };
      await workspace.request("POST", "/api/marketplace/agents/{agent}/review", { path, query });
    } else {
      const path = { base: item.id };
      await workspace.request("POST", "/api/marketplace/bases/{base}/review", { path, query });
    }
    stale(MARKETPLACE);
  });
  return (
    <form
      class="form narrow"
      onSubmit={(event) => {
        event.preventDefault();
        saving.run(event.currentTarget);
      }}
    >
      <div class="field">
        <label for="rating">Your rating</label>
        <select id="rating" name="rating">
          {[5, 4, 3, 2, 1].map((rating) => (
            <option key={rating} value={rating} selected={rating === (own?.rating ?? 5)}>
              {rating} of 5
            </option>
          ))}
        </select>
      </div>
      <div class="field">
        <label for="comment">Your review</label>
        <textarea id="comment" name="comment" rows={2} maxLength={5000} defaultValue={own?.comment ?? ""} />
      </div>
      <button type="submit" disabled={saving.isBusy}>
        Save review
      </button>
      {saving.error !== undefined && <Refused error={saving.error} />}
    </form>
  );
}
