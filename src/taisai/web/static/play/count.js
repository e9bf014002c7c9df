// Amounts that are counted up before one's eyes. With reduced motion, and for ears, the final amount is there at once.
//   countTo(element, 12500, signed)

const COUNT_MS = 900;

/** What each element is counting to. @type {WeakMap<Element, number>} */
const counting = new WeakMap();

/**
 * Count an element up to an amount.
 * @param {Element} host
 * @param {number} to
 * @param {(amount: number) => string} written
 * @param {number} [from]
 */
export function countTo(host, to, written, from = 0) {
  counting.set(host, to);
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
    host.textContent = written(to);
    return;
  }
  const began = performance.now();
  const step = () => {
    if (counting.get(host) !== to) return;
    const share = Math.min(1, (performance.now() - began) / COUNT_MS);
    const eased = 1 - (1 - share) ** 3;
    host.textContent = written(share < 1 ? Math.round(from + (to - from) * eased) : to);
    if (share < 1) requestAnimationFrame(step);
    else counting.delete(host);
  };
  step();
}

/**
 * Show an amount; while it is being counted to the same amount, it is left alone.
 * @param {Element} host
 * @param {number} amount
 * @param {(amount: number) => string} written
 */
export function show(host, amount, written) {
  if (counting.get(host) === amount) return;
  counting.delete(host);
  if (host.textContent !== written(amount)) host.textContent = written(amount);
}
