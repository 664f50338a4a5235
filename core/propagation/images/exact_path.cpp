// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/images/exact_path.h"

#include <algorithm>
#include <cmath>

#include "core/physics/diffraction.h"
#include "core/propagation/tubes/absorbing_faces.h"

namespace tesseray {
namespace {

// Two points of edges nearer than this are one.
constexpr double least_distance_m = 1e-3;
constexpr double end_margin_m = 1e-6;
constexpr int most_steps = 60;
constexpr double step_accuracy_m = 1e-10;

// Points on the midpoint's sides of a segment: of segments that meet each point is on one.
bool is_on(const EdgeSegment& edge, double along_m) {
  return along_m >= -0.5 * edge.length_m && along_m < 0.5 * edge.length_m;
}

Vec3 point_on(const EdgeSegment& edge, double along_m) { return edge.midpoint + along_m * edge.direction; }

// Off the face along which the way runs.
Vec3 off_face(const EdgeSegment& edge, Vec3 way) {
  if (runs_along(way, edge.tangent_0, edge.normal_0)) return lift_m * edge.normal_0;
  if (runs_along(way, edge.tangent_n, edge.normal_n)) return lift_m * edge.normal_n;
  return {};
}

void begin_path(Vec3 from, ExactPath& path) {
  path.points[0] = from;
  path.length = 0;
}

void add_edge(std::uint32_t number, Vec3 point, ExactPath& path) {
  path.interactions[path.length] = {true, number};
  path.points[++path.length] = point;
}

void end_path(Vec3 to, ExactPath& path) { path.points[path.length + 1] = to; }

// By Newton's method; empty where it does not get there.
std::optional<std::pair<double, double>> shortest_by_newton(const EdgeSegment& first, const EdgeSegment& second,
                                                            Vec3 from, Vec3 to) {
  const auto length_of = [&](double u, double v) {
    const Vec3 p = point_on(first, u), q = point_on(second, v);
    return norm(p - from) + norm(q - p) + norm(to - q);
  };
  double u = 0, v = 0, length = length_of(u, v);
  for (int step = 0; step < most_steps; ++step) {
    const Vec3 p = point_on(first, u), q = point_on(second, v);
    const double in = norm(p - from), between = norm(q - p), out = norm(to - q);
    if (!(in > 0 && out > 0 && between > least_distance_m)) return std::nullopt;
    const double in_u = dot(p - from, first.direction) / in, between_u = dot(q - p, first.direction) / between;
    const double between_v = dot(q - p, second.direction) / between, out_v = dot(to - q, second.direction) / out;
    const double slope_u = in_u - between_u, slope_v = between_v - out_v;
    const double uu = (1 - in_u * in_u) / in + (1 - between_u * between_u) / between;
    const double vv = (1 - between_v * between_v) / between + (1 - out_v * out_v) / out;
    const double uv = -(dot(first.direction, second.direction) - between_u * between_v) / between;
    const double determinant = uu * vv - uv * uv;
    if (!(determinant > 0)) return std::nullopt;
    double step_u = -(vv * slope_u - uv * slope_v) / determinant;
    double step_v = -(uu * slope_v - uv * slope_u) / determinant;
    if (std::fabs(step_u) + std::fabs(step_v) < step_accuracy_m) return std::pair{u, v};
    // Newton's step, halved until the way is no longer than before.
    double shorter = length_of(u + step_u, v + step_v);
    while (shorter > length * (1 + 1e-15) && std::fabs(step_u) + std::fabs(step_v) > step_accuracy_m) {
      step_u *= 0.5;
      step_v *= 0.5;
      shorter = length_of(u + step_u, v + step_v);
    }
    u += step_u;
    v += step_v;
    length = shorter;
  }
  return std::nullopt;
}

// By halving the first edge: the shortest way through a point of it is known, and turns from falling to rising at the
// place sought. For edges that meet, about whose common point Newton's method may stay.
std::optional<std::pair<double, double>> shortest_by_halving(const EdgeSegment& first, const EdgeSegment& second,
                                                             Vec3 from, Vec3 to) {
  const auto second_of = [&](double u) {
    return keller_point(point_on(first, u), to, second.midpoint, second.direction);
  };
  const auto slope_at = [&](double u) {
    const Vec3 p = point_on(first, u), q = point_on(second, second_of(u));
    return dot(p - from, first.direction) / norm(p - from) - dot(q - p, first.direction) / norm(q - p);
  };
  // Not from the ends themselves, in which edges meet.
  double high = 0.5 * first.length_m - end_margin_m, low = -high;
  if (!(slope_at(low) <= 0 && slope_at(high) >= 0)) return std::nullopt;
  for (int step = 0; step < most_steps; ++step) {
    const double middle = 0.5 * (low + high);
    (slope_at(middle) < 0 ? low : high) = middle;
  }
  const double u = 0.5 * (low + high), v = second_of(u);
  if (!(norm(point_on(second, v) - point_on(first, u)) > least_distance_m)) return std::nullopt;
  return std::pair{u, v};
}

}  // namespace

double ExactPath::length_m() const {
  double sum = 0;
  for (std::size_t i = 0; i + 1 < corners().size(); ++i) sum += norm(points[i + 1] - points[i]);
  return sum;
}

std::optional<std::pair<double, double>> shortest_over(const EdgeSegment& first, const EdgeSegment& second, Vec3 from,
                                                       Vec3 to) {
  const auto found = shortest_by_newton(first, second, from, to);
  return found ? found : shortest_by_halving(first, second, from, to);
}

ExactPaths::ExactPaths(const Reflectors& reflectors, const RealEdges& edges, const Occlusion& occlusion)
    : reflectors_(reflectors), edges_(edges), occlusion_(occlusion) {}

Vec3 ExactPaths::image(const ReflectionChain& chain, Vec3 point) const {
  for (const std::uint32_t number : chain.numbers()) {
    point = mirrored(point, reflectors_[number].origin, reflectors_[number].normal);
  }
  return point;
}

EdgeSegment ExactPaths::image(const ReflectionChain& chain, EdgeSegment edge) const {
  edge.midpoint = image(chain, edge.midpoint);
  for (const std::uint32_t number : chain.numbers())
    edge.direction = mirrored(edge.direction, reflectors_[number].normal);
  return edge;
}

// The points at which the ray from `from` to `to` meets the chain; false when it misses one.
bool ExactPaths::unfold(const ReflectionChain& chain, Vec3 from, Vec3 to, std::span<Vec3> points) const {
  std::array<Vec3, most_image_reflections + 1> images{};
  images[0] = from;
  for (std::size_t i = 0; i < chain.length; ++i) {
    const Reflector& reflector = reflectors_[chain.reflectors[i]];
    if (dot(images[i] - reflector.origin, reflector.normal) < least_height_m) return false;
    images[i + 1] = mirrored(images[i], reflector.origin, reflector.normal);
  }
  Vec3 end = to;
  for (std::size_t i = chain.length; i-- > 0;) {
    const Reflector& reflector = reflectors_[chain.reflectors[i]];
    const double below = -dot(images[i + 1] - reflector.origin, reflector.normal);
    const double above = dot(end - reflector.origin, reflector.normal);
    if (above < least_height_m) return false;
    points[i] = images[i + 1] + (below / (below + above)) * (end - images[i + 1]);
    if (!reflectors_.contains(reflector, points[i])) return false;
    end = points[i];
  }
  return true;
}

bool ExactPaths::is_free(const ExactPath& path, Vec3 aside_between_edges) const {
  Vec3 from = path.points[0];
  int edges_passed = 0;
  for (std::size_t i = 0; i <= path.length; ++i) {
    Vec3 to = path.points[i + 1];
    if (i < path.length) {
      const auto [is_edge, number] = path.interactions[i];
      to = to + lift_m * (is_edge ? bisector(edges_[number]) : reflectors_[number].normal);
      if (is_edge) {
        ++edges_passed;
      } else if (edges_passed == 1) {
        to = to + aside_between_edges;
      }
    }
    if (!occlusion_.is_free(from, to)) return false;
    from = to;
  }
  return true;
}

bool ExactPaths::add_reflections(const ReflectionChain& chain, Vec3 from, Vec3 to, ExactPath& path) const {
  if (!unfold(chain, from, to, std::span(path.points).subspan(path.length + 1))) return false;
  for (const std::uint32_t number : chain.numbers()) path.interactions[path.length++] = {false, number};
  return true;
}

bool ExactPaths::add_reflections_from_end(const ReflectionChain& chain, Vec3 from, Vec3 to, ExactPath& path) const {
  std::array<Vec3, most_image_reflections> from_end{};
  if (!unfold(chain, to, from, from_end)) return false;
  for (std::size_t i = chain.length; i-- > 0;) {
    path.interactions[path.length] = {false, chain.reflectors[i]};
    path.points[++path.length] = from_end[i];
  }
  return true;
}

bool ExactPaths::reflected(const ReflectionChain& chain, Vec3 from, Vec3 to, ExactPath& path) const {
  begin_path(from, path);
  if (!add_reflections(chain, from, to, path)) return false;
  end_path(to, path);
  return is_free(path);
}

bool ExactPaths::diffracted(const ReflectionChain& before, std::uint32_t edge_number, const ReflectionChain& after,
                            Vec3 from, Vec3 to, ExactPath& path) const {
  const EdgeSegment& edge = edges_[edge_number];
  const double along_m = keller_point(image(before, from), image(after, to), edge.midpoint, edge.direction);
  if (!is_on(edge, along_m)) return false;
  const Vec3 point = point_on(edge, along_m);
  begin_path(from, path);
  if (!add_reflections(before, from, point, path)) return false;
  add_edge(edge_number, point, path);
  if (!add_reflections_from_end(after, point, to, path)) return false;
  end_path(to, path);
  return edges_.is_exposed(edge, point) && is_free(path);
}

Vec3 ExactPaths::off_faces(const TwoEdgeSequence& sequence, Vec3 on_first, Vec3 on_second) const {
  if (sequence.between.length == 0) return {};
  Vec3 seen = on_second;
  for (std::size_t i = sequence.between.length; i-- > 0;) {
    const Reflector& reflector = reflectors_[sequence.between.reflectors[i]];
    seen = mirrored(seen, reflector.origin, reflector.normal);
  }
  const Vec3 aside = off_face(edges_[sequence.first], seen - on_first);
  if (squared_norm(aside) > 0) return aside;
  return off_face(edges_[sequence.second], image(sequence.between, on_first) - on_second);
}

bool ExactPaths::diffracted_twice(const TwoEdgeSequence& sequence, Vec3 from, Vec3 to, ExactPath& path) const {
  const auto& [before, first, between, second, after] = sequence;
  const EdgeSegment &a = edges_[first], &b = edges_[second];
  // Seen from the second edge, the first one and the transmitter are where the reflections between show them.
  const Vec3 source = image(between, image(before, from)), observer = image(after, to);
  const auto along_m = between.length == 0 ? shortest_over(a, b, source, observer)
                                           : shortest_over(image(between, a), b, source, observer);
  if (!along_m || !is_on(a, along_m->first) || !is_on(b, along_m->second)) return false;
  const Vec3 on_first = point_on(a, along_m->first), on_second = point_on(b, along_m->second);
  begin_path(from, path);
  if (!add_reflections(before, from, on_first, path)) return false;
  add_edge(first, on_first, path);
  const Vec3 aside = off_faces(sequence, on_first, on_second);
  const std::size_t begin = path.length;
  if (!add_reflections(between, on_first + aside, on_second + aside, path)) return false;
  for (std::size_t i = begin; i < path.length; ++i) path.points[i + 1] = path.points[i + 1] - aside;
  add_edge(second, on_second, path);
  if (!add_reflections_from_end(after, on_second, to, path)) return false;
  end_path(to, path);
  return edges_.is_exposed(a, on_first) && edges_.is_exposed(b, on_second) && is_free(path, aside);
}

}  // namespace tesseray
