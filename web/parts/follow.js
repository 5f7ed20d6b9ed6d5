// A list that stays at its end while it grows, unless one has scrolled up. Knows nothing of what is listed.

/// Whether one has scrolled to the end.
export function isAtEnd(scroller) {
  return scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 40;
}

/// Follows the end of what a scroller shows. `filled` is told to the chunks; the rest is what a view promises.
export function followEnd(scroller) {
  let following = true;
  const toEnd = () => (scroller.scrollTop = scroller.scrollHeight);
  const onScroll = () => (following = isAtEnd(scroller));
  return {
    filled: () => following && toEnd(),
    view: (chunks) => ({
      shown() {
        toEnd();
        chunks.observe(scroller);
        // Scrolls that laying out causes are over by then.
        setTimeout(() => scroller.addEventListener("scroll", onScroll), 300);
      },
      follows: () => following,
      stop() {
        chunks.stop();
        scroller.removeEventListener("scroll", onScroll);
      },
    }),
  };
}
