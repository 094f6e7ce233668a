; The Sussman anomaly: reaching one half of the goal first undoes the other.
; Three blocks on at most three stacks, so a model can search it too.
(define (problem sussman)
  (:domain blocksworld)
  (:objects a b c)
  (:init (on c a) (ontable a) (ontable b) (clear c) (clear b) (handempty))
  (:goal (and (on a b) (on b c) (ontable c))))
