import { number } from "../parts/numbers.ts";

/** How much a search of chats reads, as the service bounds it. A test compares it with the service's own. */
export const SEARCHED = { titles: 1_000, chats: 200, messages: 100, characters: 5_000 };

/** What is said below what a search found, so that nothing found is not taken for nothing there. */
export const SEARCHED_IN_WORDS =
  `Searched: the titles of your latest ${number(SEARCHED.titles)} chats, and in the latest ${number(SEARCHED.chats)} ` +
  `of them the newest ${number(SEARCHED.messages)} messages each.`;

export const NOT_SEARCHED = "Messages could not be searched. Change the text to try again.";
