export { withoutRatingsOf } from "./queries.ts";
export { deleteReview, listReviews, reviewItem } from "./review-item.ts";
