package main

import (
	"fmt"
	"math"
	"os"
	"strconv"
)

type vec struct{ x, y, z float64 }

func (a vec) add(b vec) vec       { return vec{a.x + b.x, a.y + b.y, a.z + b.z} }
func (a vec) sub(b vec) vec       { return vec{a.x - b.x, a.y - b.y, a.z - b.z} }
func (a vec) scale(k float64) vec { return vec{k * a.x, k * a.y, k * a.z} }
func (a vec) dot(b vec) float64   { return a.x*b.x + a.y*b.y + a.z*b.z }
func (a vec) unit() vec           { return a.scale(1 / math.Sqrt(a.dot(a))) }

type sphere struct {
	center                 vec
	radius, colour, mirror float64
}

var spheres = []sphere{{vec{0, -1000, 0}, 1000, 0.6, 0.1}}
var light = vec{-1, 2, -1.5}.unit()

func (s *sphere) hit(origin, direction vec) (float64, bool) {
	oc := origin.sub(s.center)
	b := oc.dot(direction)
	d := b*b - oc.dot(oc) + s.radius*s.radius
	if d < 0 {
		return 0, false
	}
	t := -b - math.Sqrt(d)
	return t, t > 0.001
}

func nearest(origin, direction vec) (best *sphere, at float64) {
	for i := range spheres {
		if t, ok := spheres[i].hit(origin, direction); ok && (best == nil || t < at) {
			best, at = &spheres[i], t
		}
	}
	return
}

func trace(origin, direction vec, depth int) float64 {
	s, t := nearest(origin, direction)
	if s == nil {
		return 0.2 + 0.3*math.Max(0, direction.y)
	}
	place := origin.add(direction.scale(t))
	normal := place.sub(s.center).unit()
	shade := math.Max(0, normal.dot(light))
	if shade > 0 {
		if other, _ := nearest(place, light); other != nil {
			shade = 0
		}
	}
	own := s.colour * (0.2 + 0.8*shade)
	if depth == 0 || s.mirror <= 0 {
		return own
	}
	turned := direction.sub(normal.scale(2 * direction.dot(normal)))
	return (1-s.mirror)*own + s.mirror*trace(place, turned, depth-1)
}

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	for i := range 12 {
		spheres = append(spheres, sphere{vec{float64(i%4)*2.2 - 3.3, 1, float64(i/4)*2.5 + 1}, 0.9,
			0.3 + float64(i%5)*0.15, float64(i%3) * 0.3})
	}
	picture := make([]float64, 0, n*n)
	for j := range n {
		for i := range n {
			x := (float64(i)+0.5)/float64(n)*2 - 1
			y := 1 - (float64(j)+0.5)/float64(n)*2
			picture = append(picture, math.Min(1, trace(vec{0, 3, -8}, vec{x, y - 0.3, 1.5}.unit(), 4)))
		}
	}
	sum := 0.0
	for _, p := range picture {
		sum += p
	}
	fmt.Printf("mean %.6f\n", sum/float64(n*n))
}
